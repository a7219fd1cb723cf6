// Package gcp replaces a provider of keys, which would register itself.
package gcp
