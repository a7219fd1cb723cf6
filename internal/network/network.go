// Package network moves manifests and blobs between this machine and registries.
//
// Its [Client] is the only way from Slipway to the network: a push, a pull, a base image, a look at
// a tag and a download for a Dockerfile all go through it, so that one set of rules holds for them:
//
//   - Plain HTTP is spoken with loopback addresses only, also after a redirect and for token services.
//   - Credentials come from the Docker configuration (~/.docker/config.json or DOCKER_CONFIG), the
//     helpers that it names, or Podman's auth.json. They go to the host that they are for.
//   - A request is made again where a server is busy (429), broken (5xx) or drops the connection, and
//     not before the time that Retry-After asks for. A server that goes quiet has dropped it.
//   - What does not answer as a registry does is an error, so that a captive portal takes no push.
//   - Manifests and answers that are not blobs have a bounded size.
//
// test/repository checks that no other package opens connections of its own.
package network

import (
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/slipway-dev/slipway/internal/progress"
)

// Agent names this program to servers. The command sets it to slipway/VERSION when it starts.
var Agent = "slipway"

// Options say how registries are talked to. The zero value suits every registry.
type Options struct {
	Progress *progress.Printer
	// Jobs is how many blobs or manifests are on their way at the same time; 0 is 4.
	Jobs int
	// Transport carries the requests; nil is one that heeds HTTPS_PROXY.
	Transport http.RoundTripper
	// Keychain finds credentials; nil is the Docker configuration.
	Keychain authn.Keychain
	// Wait is how long to wait before the first retry; it doubles from one to the next. 0 is one
	// second.
	Wait time.Duration
	// Attempts is how often a request is made in all, while the server answers 429 or 5xx or drops
	// the connection; 0 is 6.
	Attempts int
	// Idle is how long nothing may move on a request before it counts as a dropped connection; 0 is
	// a minute. It bounds dialing, waiting for an answer and each piece of a body. A transfer that
	// moves fewer than 256 bytes a second for so long counts as dropped, too.
	Idle time.Duration
	// HelperTime is how long a credential helper may take; 0 is a minute.
	HelperTime time.Duration
}

// Defaults returns o with its zero fields filled in.
func (o Options) Defaults() Options {
	if o.Jobs == 0 {
		o.Jobs = 4
	}
	if o.Transport == nil {
		o.Transport = direct()
	}
	if o.Idle == 0 {
		o.Idle = time.Minute
	}
	if o.HelperTime == 0 {
		o.HelperTime = time.Minute
	}
	if o.Keychain == nil {
		o.Keychain = keychain{o.HelperTime}
	}
	if o.Wait == 0 {
		o.Wait = time.Second
	}
	if o.Attempts == 0 {
		o.Attempts = 6
	}
	return o
}
