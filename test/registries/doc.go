// Package registries tests publishing with the registry software that people run: distribution,
// as version 3 and as Debian's docker-registry (version 2), with and without passwords and TLS;
// and of the embedded registry with the clients that people run: skopeo and docker.
// docs/results/consumers.md has what registries have after a push of a bundle. The module is
// separate, so that its dependencies stay out of Slipway's.
package registries
