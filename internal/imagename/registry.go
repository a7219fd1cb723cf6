package imagename

import (
	"errors"
	"fmt"
	"strings"
)

// NoAccount is the message about a name that contains credentials; the name is not in it.
const NoAccount = "has a user's name and password in it, which do not belong here: " +
	"take them out, and log in with docker login or a credential helper"

// CheckRegistry checks that s is host[/prefix] of a registry. The error quotes s, unless s contains
// credentials.
func CheckRegistry(s string) error {
	if strings.Contains(s, "@") {
		return errors.New(NoAccount)
	}
	if why := badRegistry(s); why != "" {
		return fmt.Errorf("%q %s", s, why)
	}
	return nil
}

// badRegistry returns why s is not host[/prefix], or "".
func badRegistry(s string) string {
	if strings.Contains(s, "://") {
		return "has a scheme: write host[/prefix] alone"
	}
	host, prefix, hasPrefix := strings.Cut(s, "/")
	// Without a dot, a colon or localhost, a first part is a repository of Docker Hub to every
	// tool.
	if !strings.ContainsAny(host, ".:") && host != "localhost" {
		return "names no host: write host[/prefix], such as ghcr.io/" + s + " or docker.io/" + s
	}
	if !IsHost(host) {
		return "has a malformed host: write host[:port][/prefix]"
	}
	if !hasPrefix {
		return ""
	}
	for _, p := range strings.Split(prefix, "/") {
		if !part.MatchString(p) {
			return "has a malformed prefix: between slashes, use lower case letters and digits, " +
				"with . _ or - between them, since it becomes part of a repository's name"
		}
	}
	return ""
}
