module github.com/stitchgcm/gcm

go 1.25.0

require golang.org/x/sys v0.47.0
