// Package auth replaces the client of Kubernetes.
package auth
