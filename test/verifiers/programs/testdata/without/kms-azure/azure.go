// Package azure replaces a provider of keys, which would register itself.
package azure
