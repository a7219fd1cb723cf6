package network

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// lanes has, for each host and kind of request, how long the host has kept this client waiting in
// vain. Retries, requests side by side and the steps of a command share it, so that together they
// wait no longer than one of them may.
type lanes struct {
	idle, limit time.Duration

	mu  sync.Mutex
	all map[string]*lane
}

func newLanes(o Options) *lanes {
	return &lanes{idle: o.Idle, limit: o.GiveUp, all: map[string]*lane{}}
}

// of returns the lane of a request. The kinds are separate because a retry of an upload begins
// with a POST: that the host answers this does not mean that it takes the blob.
func (l *lanes) of(q *http.Request) *lane {
	kind := q.Method
	if q.URL.Path == "/v2/" { // every retry of a token begins with it
		kind += " /v2/"
	}
	for _, part := range []string{"manifests", "blobs", "tags", "referrers"} {
		if strings.HasPrefix(q.URL.Path, "/v2/") && strings.Contains(q.URL.Path, "/"+part+"/") {
			kind += " " + part
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := q.URL.Host + " " + kind
	if l.all[key] == nil {
		l.all[key] = &lane{host: q.URL.Host, kind: kind, idle: l.idle, limit: l.limit}
	}
	return l.all[key]
}

// lane is one host and kind of request.
type lane struct {
	host, kind  string
	idle, limit time.Duration

	mu       sync.Mutex
	lost     time.Duration // waited in vain since the last request that was completed
	since    time.Time     // when that began
	until    time.Time     // when the last wait in vain ended
	apart    bool          // the host asked for a pause then, which does not count
	asked    time.Duration // pauses that the host asked for, also since then
	reported bool          // the user knows that this host makes the command wait
}

// left is how long a wait that begins now may take: not positive if the host is given up. The
// pause between two attempts counts.
func (l *lane) left(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.limit - l.lost
	if left > 0 && now.After(l.until) && l.continues(now) {
		left = max(left-now.Sub(l.until), 1)
	}
	return left
}

// continues reports whether a wait that begins at from belongs to the one before it.
func (l *lane) continues(from time.Time) bool {
	return !l.apart && !l.until.IsZero() && from.Before(l.until.Add(l.idle))
}

// vain counts a wait that did not complete a request. Waits that overlap count once.
func (l *lane) vain(from, to time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		l.since = from
	}
	if l.continues(from) {
		from = l.until
	}
	if to.After(from) {
		l.lost += to.Sub(from)
		l.until, l.apart = to, false
	}
}

// moved counts bytes that came from the host: each second lost is bought back by as many as a
// transfer must move at the least.
func (l *lane) moved(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost = max(0, l.lost-time.Duration(n)*(time.Second/floor)); l.lost == 0 {
		l.reset()
	}
}

// completed forgets all waits: the host has completed a request.
func (l *lane) completed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = 0
	l.reset()
}

func (l *lane) reset() {
	l.lost, l.since, l.until, l.apart, l.reported = 0, time.Time{}, time.Time{}, false, false
}

// begin returns an error if the host is given up. After as long again it gets another chance: a
// client may wait for hours for what others do.
func (l *lane) begin(now time.Time) error {
	l.mu.Lock()
	if !l.until.IsZero() && now.Sub(l.until) > l.limit {
		l.reset()
	}
	l.mu.Unlock()
	return l.gone(nil)
}

// ask counts a pause that the host asks for, and returns false if all of them are too long.
func (l *lane) ask(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked += d
	l.apart = true
	return l.asked <= maxAsked
}

// tell reports whether to notify the user that the host makes the command wait.
func (l *lane) tell() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	reported := l.reported
	l.reported = true
	return !reported
}

// gone returns the error of a host that has been given up, after the error last, or last.
func (l *lane) gone(last error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost < l.limit {
		return last
	}
	return &gone{l.host, l.kind, l.since, l.lost}
}

// gone is the error of a host that was given up. No retry follows.
type gone struct {
	host, kind string
	since      time.Time
	lost       time.Duration
}

func (g *gone) Error() string {
	return fmt.Sprintf("%s has completed no request (%s) since %s, "+
		"and made all attempts wait for %v in all: it is given up",
		g.host, g.kind, g.since.Format(time.TimeOnly), g.lost.Round(time.Second))
}
