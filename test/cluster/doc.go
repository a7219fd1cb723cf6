// Package cluster proves a release of kpack where it will live: on a real control plane with a
// Linux and a Windows node. Etcd, kube-apiserver, kube-scheduler and kube-controller-manager run
// in a network namespace of their own; the release comes there as an operator brings it, out of
// the airgap bundle by `slipway airgap push`, and by `kubectl apply` of the renamed release.yaml;
// controller and webhook are the programs of the released images, run as their pods say. Only
// kubelets are replaced, by package node.
//
// The tests are a list of named checks. The test of these tests are releases that are broken,
// each in one way: each must fail by the check that is there for it.
//
// The programs of the control plane are pinned by the module in controlplane/, whose versions are
// Kubernetes's own.
package cluster
