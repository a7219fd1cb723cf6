// Package network makes requests to registries and other servers.
//
// All packages make their requests through its [Client]: a push, a pull, a base image, a lookup
// of a tag and a download for a Dockerfile follow the same rules:
//
//   - Plain HTTP is for loopback addresses only, also after a redirect and for token services.
//   - Credentials come from the Docker configuration (~/.docker/config.json or DOCKER_CONFIG),
//     the helpers that it names, or Podman's auth.json. Credentials are sent only to the host
//     they are for.
//   - A request is retried if a server is busy (429), fails (5xx) or drops the connection, and not
//     before the time that Retry-After gives. A stalled server counts as a dropped connection, and
//     is given up after two minutes over all attempts.
//   - An answer that no registry gives is an error, so that a captive portal accepts no push.
//   - Manifests and other answers that are not blobs have a bounded size, and a time by that.
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

// Default is the transport of options without one; nil is one that uses HTTPS_PROXY. The command
// sets it when it starts, from a file of certificate authorities.
var Default http.RoundTripper

// Options configure how to make requests. The zero value suits every registry.
type Options struct {
	Progress *progress.Printer
	// Jobs is how many blobs or manifests are transferred at the same time; 0 is 4.
	Jobs int
	// Limit is how many requests a host is sent at the same time; 0 is any number.
	Limit int
	// Transport makes the requests; nil is [Default].
	Transport http.RoundTripper
	// Keychain finds credentials; nil is the Docker configuration.
	Keychain authn.Keychain
	// Wait is how long to wait before the first retry; it doubles with each retry. 0 is one
	// second.
	Wait time.Duration
	// Attempts is how often a request is made in all while the server answers 429 or 5xx or drops
	// the connection; 0 is 6.
	Attempts int
	// Idle is how long a request may stall before it counts as a dropped connection; 0 is a
	// minute. The bound is on dialing, waiting for an answer and each piece of a body. A transfer
	// that moves fewer than 256 bytes a second for that time has stalled, too.
	Idle time.Duration
	// Document is how long the body of an answer that is not a blob may take, and of a
	// configuration; up to three times that if it is large; 0 is twice Idle, so that one that
	// stalls is known before. Such a body is small, and commands ask for many.
	Document time.Duration
	// GiveUp is how long a host may make all attempts of one kind wait without completing a
	// request; 0 is two minutes. Only the answer to the last byte of an upload may take longer:
	// five times Idle.
	GiveUp time.Duration
	// HelperTime is how long a credential helper may take; 0 is a minute.
	HelperTime time.Duration
}

// Usual is what zero fields of Options mean. Only tests of the command change it.
var Usual = struct{ Idle, GiveUp, Wait time.Duration }{time.Minute, 2 * time.Minute, time.Second}

// Defaults returns o with its zero fields filled in.
func (o Options) Defaults() Options {
	if o.Jobs == 0 {
		o.Jobs = 4
	}
	if o.Transport == nil {
		o.Transport = Default
	}
	if o.Transport == nil {
		o.Transport = direct()
	}
	if o.Idle == 0 {
		o.Idle = Usual.Idle
	}
	if o.Document == 0 {
		o.Document = 2 * o.Idle
	}
	if o.GiveUp == 0 {
		o.GiveUp = Usual.GiveUp
	}
	if o.HelperTime == 0 {
		o.HelperTime = time.Minute
	}
	if o.Keychain == nil {
		o.Keychain = keychain{o.HelperTime}
	}
	if o.Wait == 0 {
		o.Wait = Usual.Wait
	}
	if o.Attempts == 0 {
		o.Attempts = 6
	}
	return o
}
