module k8s.io/cli-runtime

go 1.26.8

require k8s.io/client-go v0.37.2
