package control

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// auditPolicy keeps what service accounts do: whether it was allowed, not what it was about.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
  - {level: None, userGroups: ["system:serviceaccounts:kube-system"]}
  - {level: Metadata, userGroups: ["system:serviceaccounts"]}
  - {level: None}
`

const schedulerConfig = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q}
profiles: [{schedulerName: default-scheduler}, {schedulerName: %q}]
`

// configure writes the files that the programs read.
func (p *Plane) configure() error {
	for _, user := range []string{"admin", "scheduler", "controllers"} {
		if err := p.kubeconfig(user); err != nil {
			return fmt.Errorf("writing the kubeconfig of %s: %w", user, err)
		}
	}
	p.Kubeconfig = p.file("admin.conf")
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = -1, -1
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		return p.Namespace.Dial(ctx, network, address)
	}
	config.WarningHandler = rest.NoWarnings{}
	p.Config = config
	if err := os.WriteFile(p.file("audit.yaml"), []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, schedulerConfig, p.file("scheduler.conf"), SecondScheduler)
	return os.WriteFile(p.file("scheduler.yaml"), b.Bytes(), 0o600)
}

func (p *Plane) kubeconfig(user string) error {
	c := clientcmdapi.NewConfig()
	c.Clusters["test"] = &clientcmdapi.Cluster{Server: "https://" + NodeAddress, CertificateAuthority: p.file("ca.crt")}
	c.AuthInfos[user] = &clientcmdapi.AuthInfo{
		ClientCertificate: p.file(user + ".crt"),
		ClientKey:         p.file(user + ".key"),
	}
	c.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: user}
	c.CurrentContext = "test"
	return clientcmd.WriteToFile(*c, p.file(user+".conf"))
}
