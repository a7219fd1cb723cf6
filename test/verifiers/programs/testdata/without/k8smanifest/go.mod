module github.com/sigstore/k8s-manifest-sigstore

go 1.26.8
