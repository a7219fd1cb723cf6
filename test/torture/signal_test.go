//go:build linux && amd64

package torture

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// signals ends every command by SIGTERM and SIGINT, at random times and before random calls.
func signals() (cases []fault) {
	for _, s := range writers() {
		calls := surveyed[s].calls[""]
		for n := range 10 {
			send := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT}[n%2]
			cases = append(cases, fault{
				kind: "signal", name: fmt.Sprintf("%s/%v-%d", s.name, send, n+1), scenario: s,
				strike: func(w *worker, r *rand.Rand) outcome {
					if n%4 < 2 || calls == 0 {
						return w.interrupt(s, r, send, nil)
					}
					when := 1 + r.IntN(calls)
					var sent time.Time
					o := w.begin(s.command, w.tracer(changing, func(at int, _ call) action {
						if at != when {
							return action{}
						}
						sent = time.Now()
						return action{send: send}
					})).wait()
					if !sent.IsZero() {
						o.told, o.ending = true, time.Since(sent)
					}
					return o
				},
			})
		}
	}
	return cases
}
