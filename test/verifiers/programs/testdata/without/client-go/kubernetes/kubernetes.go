// Package kubernetes replaces the client of Kubernetes, which reads keys in secrets.
package kubernetes

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/client-go/rest"
)

var errWithout = errors.New("this program was built without a client of Kubernetes")

// Interface is a client.
type Interface interface {
	CoreV1() Core
	Discovery() Discovery
}

// Core has secrets.
type Core struct{}

// Discovery has the version.
type Discovery struct{}

// Secrets fail.
type Secrets struct{}

// NewForConfig fails.
func NewForConfig(*rest.Config) (Interface, error) { return nil, errWithout }

// ServerVersion fails.
func (Discovery) ServerVersion() (interface{ String() string }, error) { return nil, errWithout }

// Secrets returns those of a namespace.
func (Core) Secrets(string) Secrets { return Secrets{} }

// Get fails.
func (Secrets) Get(context.Context, string, metav1.GetOptions) (*v1.Secret, error) {
	return nil, errWithout
}

// Create fails.
func (Secrets) Create(context.Context, *v1.Secret, metav1.CreateOptions) (*v1.Secret, error) {
	return nil, errWithout
}

// Update fails.
func (Secrets) Update(context.Context, *v1.Secret, metav1.UpdateOptions) (*v1.Secret, error) {
	return nil, errWithout
}
