// Package aws replaces a provider of keys, which would register itself.
package aws
