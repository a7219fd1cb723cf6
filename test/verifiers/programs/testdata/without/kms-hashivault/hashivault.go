// Package hashivault replaces a provider of keys, which would register itself.
package hashivault
