// SPDX-License-Identifier: ISC

// A library bcryptprimitives.dll for versions of wine that have none, without
// which no Go program starts.

#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG size); // RtlGenRandom

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	return SystemFunction036(data, (ULONG)size);
}
