package control

import (
	"path/filepath"
	"strings"
)

func (p *Plane) file(name string) string { return filepath.Join(p.Dir, name) }

// etcd has the name of its package's directory, which is what the go command calls it.
func (p *Plane) etcd() []string {
	return []string{
		"server", "--data-dir=" + p.file("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379",
		"--listen-peer-urls=http://127.0.0.1:2380",
	}
}

// The apiserver listens at every address, that of the Service kubernetes among them. Webhooks it
// dials at their endpoints: without kube-proxy their Services lead nowhere.
func (p *Plane) apiserver() []string {
	return []string{
		"kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", "--secure-port=443",
		"--advertise-address=" + NodeAddress,
		"--service-cluster-ip-range=" + serviceRange, "--enable-aggregator-routing=true",
		"--authorization-mode=Node,RBAC",
		"--tls-cert-file=" + p.file("apiserver.crt"), "--tls-private-key-file=" + p.file("apiserver.key"),
		"--client-ca-file=" + p.file("ca.crt"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + p.file("serviceaccounts.key"),
		"--service-account-signing-key-file=" + p.file("serviceaccounts.key"),
		"--audit-policy-file=" + p.file("audit.yaml"), "--audit-log-path=" + p.Audit,
		"--audit-log-mode=blocking-strict",
	}
}

// controllers are those without which a Deployment has no pods, a pod no token, a Service no
// endpoints and a Job no pods. That for the lifecycle of nodes is omitted: it would taint nodes
// that send no heartbeat.
func (p *Plane) controllers() []string {
	return []string{
		"kube-controller-manager", "--kubeconfig=" + p.file("controllers.conf"), "--leader-elect=false",
		"--secure-port=0",
		"--use-service-account-credentials=true", "--root-ca-file=" + p.file("ca.crt"),
		"--service-account-private-key-file=" + p.file("serviceaccounts.key"),
		"--controllers=" + strings.Join([]string{
			"serviceaccount-token-controller", "serviceaccount-controller", "root-ca-certificate-publisher-controller",
			"namespace-controller", "garbage-collector-controller", "clusterrole-aggregation-controller",
			"deployment-controller", "replicaset-controller", "endpoints-controller", "endpointslice-controller",
			"job-controller",
		}, ","),
	}
}

func (p *Plane) scheduler() []string {
	return []string{"kube-scheduler", "--config=" + p.file("scheduler.yaml"), "--secure-port=0"}
}
