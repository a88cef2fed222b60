// SPDX-License-Identifier: ISC

// A plugin for qemu-user's TCG that compares traces: the addresses of the
// instructions run, and address, size and direction of each memory access, from
// one marker of the traced program to another. It takes arguments NAME=ADDRESS:
//
//	fresh   here a case begins; its first trace is what the others must equal
//	on, off between them instructions are traced
//	entry   (any number) a function of which each case must enter just one
//
// and report=FILE, for a line a case and a line for its first difference. Only
// programs of one thread, at fixed addresses, can be traced.

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is used of qemu's plugin interface, whose header few systems package.

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
	void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
	void (*cb)(unsigned vcpu, void *data), enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	void (*cb)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *data),
	enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
	void (*cb)(qemu_plugin_id_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

// An event is an instruction run, of size 0, or an access to memory.
struct event {
	uint64_t pc, addr;
	uint32_t size; // bytes
	uint32_t store;
};

static uint64_t fresh, on, off, entries[64];
static size_t n_entries;
static FILE *report;

static struct event *first; // the first trace of the case
static size_t n_first, room;
static bool tracing;
static uint64_t cases, traces, at, differences, entered; // of the case; at: of the trace

static void differ(const struct event *want, const struct event *got)
{
	static const struct event end;
	const struct event *e[] = { want ? want : &end, got ? got : &end };

	if (differences++)
		return;
	fprintf(report, "difference %" PRIu64 " %" PRIu64 " %" PRIu64, cases - 1, traces - 1, at);
	for (int i = 0; i < 2; i++)
		fprintf(report, " %#" PRIx64 " %#" PRIx64 " %" PRIu32 " %" PRIu32,
			e[i]->pc, e[i]->addr, e[i]->size, e[i]->store);
	fputc('\n', report);
}

static void record(struct event e)
{
	if (traces == 1) {
		if (n_first == room) {
			room = 2 * room + 4096;
			first = realloc(first, room * sizeof *first);
			if (!first)
				abort();
		}
		first[n_first++] = e;
	} else if (at >= n_first) {
		differ(NULL, &e);
	} else if (memcmp(&first[at], &e, sizeof e)) {
		differ(&first[at], &e);
	}
	at++;
}

static void at_instruction(unsigned vcpu, void *pc)
{
	if (tracing)
		record((struct event){ .pc = (uintptr_t)pc });
}

static void at_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *pc)
{
	if (tracing)
		record((struct event){ (uintptr_t)pc, addr, 1u << qemu_plugin_mem_size_shift(info),
			qemu_plugin_mem_is_store(info) });
}

static void at_entry(unsigned vcpu, void *pc)
{
	if (tracing)
		entered = !entered || entered == (uintptr_t)pc ? (uintptr_t)pc : UINT64_MAX;
}

static void end_case(void)
{
	if (cases)
		fprintf(report, "case %" PRIu64 " %" PRIu64 " %zu %" PRIu64 " %#" PRIx64 "\n",
			cases - 1, traces, n_first, differences, entered);
}

static void at_fresh(unsigned vcpu, void *pc)
{
	end_case();
	cases++;
	traces = differences = entered = n_first = 0;
}

static void at_on(unsigned vcpu, void *pc)
{
	traces++;
	at = 0;
	tracing = true;
}

static void at_off(unsigned vcpu, void *pc)
{
	tracing = false;
	if (at < n_first)
		differ(&first[at], NULL);
}

static void at_exit(qemu_plugin_id_t id, void *data)
{
	end_case();
	fclose(report);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);
		void *data = (void *)(uintptr_t)pc;
		void (*mark)(unsigned, void *) = pc == fresh ? at_fresh : pc == on ? at_on : pc == off ? at_off : NULL;

		for (size_t j = 0; j < n_entries; j++)
			if (pc == entries[j])
				mark = at_entry;
		if (mark)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, QEMU_PLUGIN_CB_NO_REGS, data);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, at_instruction, QEMU_PLUGIN_CB_NO_REGS, data);
		qemu_plugin_register_vcpu_mem_cb(insn, at_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, data);
	}
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			return -1;
		*value++ = 0;
		if (!strcmp(argv[i], "fresh"))
			fresh = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "on"))
			on = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "off"))
			off = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "entry") && n_entries < sizeof entries / sizeof entries[0])
			entries[n_entries++] = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "report"))
			report = fopen(value, "w");
		else
			return -1;
	}
	if (!fresh || !on || !off || !n_entries || !report)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
