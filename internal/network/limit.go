package network

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// maxLimit is the longest time that all attempts of a request wait for a server that limits
// requests. A limit per hour may ask for more.
const maxLimit = 10 * time.Minute

// limited reports whether an answer refuses a request because of too many requests, and how long
// to wait then, as GitHub documents it
// (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api): for
// Retry-After; or until X-RateLimit-Reset if nothing remains; or else a minute, and longer with
// each attempt. The status is 429 or 403.
func (o Options) limited(a *Answer, attempt int, now time.Time) (time.Duration, bool) {
	if a.Status != http.StatusTooManyRequests && a.Status != http.StatusForbidden {
		return 0, false
	}
	if d, ok := retryAfter(a.Header.Get("Retry-After"), now); ok {
		return d, true
	}
	if reset, err := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil &&
		a.Header.Get("X-RateLimit-Remaining") == "0" {
		return max(0, time.Unix(reset, 0).Sub(now)), true
	}
	if a.Status == http.StatusTooManyRequests || bytes.Contains(a.Body, []byte("secondary rate limit")) {
		return 60 * o.Wait << (attempt - 1), true
	}
	return 0, false
}
