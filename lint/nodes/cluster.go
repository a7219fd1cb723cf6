package nodes

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster names a cluster.
type Cluster struct {
	// Kubeconfig is a file; "" follows kubectl's rules: $KUBECONFIG, ~/.kube/config, and inside of
	// a pod its service account.
	Kubeconfig string
	Context    string // of the kubeconfig; "" is its current one
	UserAgent  string
}

// pageSize is the number of nodes of a request; kubectl uses the same.
const pageSize = 500

// List returns the nodes of a cluster, which it requests page by page.
func List(ctx context.Context, c Cluster) ([]Node, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	client, err := newClient(config)
	if err != nil {
		return nil, fmt.Errorf("reaching %s: %w", config.Host, err)
	}
	var list []Node
	o := metav1.ListOptions{Limit: pageSize}
	parameters := runtime.NewParameterCodec(scheme()) // o as a query
	for {
		var page corev1.NodeList
		err := client.Get().Resource("nodes").VersionedParams(&o, parameters).Do(ctx).Into(&page)
		switch {
		case apierrors.IsResourceExpired(err) && o.Continue != "":
			// the pages belong to a state that has expired: request all at once
			list, o = nil, metav1.ListOptions{}
			continue
		case err != nil:
			return nil, fmt.Errorf("listing the nodes of %s: %w", config.Host, answerOf(err))
		}
		for i := range page.Items {
			list = append(list, newNode(&page.Items[i]))
		}
		if o.Continue = page.Continue; o.Continue == "" {
			return list, nil
		}
	}
}

func (c Cluster) config() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.Kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: c.Context}).ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err) || errors.Is(err, rest.ErrNotInCluster):
		return nil, errors.New("no cluster is named: pass -kubeconfig, " +
			"set KUBECONFIG, or pass a file from kubectl get nodes -o json with -nodes")
	case err != nil:
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.UserAgent = c.UserAgent
	config.WarningHandler = rest.NoWarnings{}
	return config, nil
}

// scheme has only what a list of nodes needs: client-go's scheme would add every API of Kubernetes
// to the program.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(corev1.SchemeGroupVersion, &corev1.Node{}, &corev1.NodeList{})
	metav1.AddToGroupVersion(s, corev1.SchemeGroupVersion)
	return s
})

func newClient(config *rest.Config) (*rest.RESTClient, error) {
	config = rest.CopyConfig(config)
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.APIPath = "/api"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme()).WithoutConversion()
	return rest.RESTClientFor(config)
}

// answer is the error of an API server, with the status that package outcome asks for.
type answer struct {
	error

	status int
}

// Status returns the status of HTTP.
func (a answer) Status() int { return a.status }

// Unwrap returns the error of the API server.
func (a answer) Unwrap() error { return a.error }

// answerOf adds the status of HTTP to an error of an API server.
func answerOf(err error) error {
	if of := apierrors.APIStatus(nil); errors.As(err, &of) {
		return answer{err, int(of.Status().Code)}
	}
	return err
}
