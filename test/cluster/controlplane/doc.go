// Package controlplane has no code: its module pins the programs of a Kubernetes control plane as
// tools in go.mod. Package consumer builds them.
package controlplane
