module github.com/slipway-dev/slipway/test/bench/wharfie

go 1.26.8

require (
	github.com/google/go-containerregistry v0.22.1
	github.com/rancher/wharfie v0.7.1
	github.com/sirupsen/logrus v1.10.2
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/kr/pretty v0.3.1 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	github.com/pierrec/lz4 v2.6.0+incompatible // indirect
	golang.org/x/sys v0.49.0 // indirect
)
