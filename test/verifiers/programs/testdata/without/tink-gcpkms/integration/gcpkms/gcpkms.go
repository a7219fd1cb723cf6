// Package gcpkms replaces keys of Google. Only tests of dependencies import it.
package gcpkms
