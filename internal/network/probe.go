package network

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Date returns the time that a registry's server has, or the zero time if it does not state one.
// No credentials are sent.
func (c *Client) Date(ctx context.Context, r name.Registry) (time.Time, error) {
	scheme := "https"
	if imagename.Loopback(r.RegistryStr()) { // the library speaks plain HTTP with private addresses, too
		scheme = r.Scheme()
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+r.RegistryStr()+"/v2/", nil)
	if err != nil {
		return time.Time{}, err
	}
	a, err := (&http.Client{Transport: c.rt}).Do(q)
	if err != nil {
		return time.Time{}, Clean(err)
	}
	defer a.Body.Close()
	t, err := http.ParseTime(a.Header.Get("Date"))
	if err != nil {
		return time.Time{}, nil // it states none
	}
	return t, nil
}

// Proxies lists the variables that choose proxies, as NAME=value without passwords. The errors
// are about those that have no effect because they are malformed.
func Proxies() (list []string, malformed []error) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"} {
		value := os.Getenv(name)
		if value == "" {
			continue
		}
		if strings.EqualFold(name, "NO_PROXY") {
			list = append(list, name+"="+value)
			continue
		}
		full := value
		if !strings.Contains(full, "://") { // as net/http reads it
			full = "http://" + full
		}
		u, err := url.Parse(full)
		if err != nil || u.Hostname() == "" {
			malformed = append(malformed,
				fmt.Errorf("%s is not the address of a proxy: write http://host:port, or unset it", name))
			continue
		}
		list = append(list, name+"="+redactURL(u))
	}
	return list, malformed
}

var accountOfURL = lazyregexp.New(`((?:^|[,|])(?:[A-Za-z0-9+.-]+://)?)[^/,|]*@`)

// WithoutAccounts returns a list of URLs, such as GOPROXY is, without users and passwords.
func WithoutAccounts(list string) string { return accountOfURL.ReplaceAllString(list, "$1") }
