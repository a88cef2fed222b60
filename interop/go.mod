module github.com/stitchgcm/gcm/interop

go 1.25.0

require (
	github.com/stitchgcm/gcm v0.0.0
	github.com/tink-crypto/tink-go/v2 v2.9.0
	google.golang.org/protobuf v1.36.11
)

require (
	golang.org/x/crypto v0.53.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/stitchgcm/gcm => ..
