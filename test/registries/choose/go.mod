module github.com/slipway-dev/slipway/test/registries/choose

go 1.26.8

require github.com/containerd/platforms v1.0.0-rc.5

require (
	github.com/containerd/log v0.2.0 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	github.com/sirupsen/logrus v1.10.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
