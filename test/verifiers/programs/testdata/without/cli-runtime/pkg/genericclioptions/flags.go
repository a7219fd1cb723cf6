// Package genericclioptions replaces flags of kubectl.
package genericclioptions

import (
	"errors"

	"k8s.io/client-go/rest"
)

// ConfigFlags are flags.
type ConfigFlags struct{ KubeConfig, Context *string }

// NewConfigFlags returns flags.
func NewConfigFlags(bool) *ConfigFlags { return &ConfigFlags{} }

// ToRESTConfig fails.
func (*ConfigFlags) ToRESTConfig() (*rest.Config, error) {
	return nil, errors.New("this program was built without flags of kubectl")
}
