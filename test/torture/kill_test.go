//go:build linux && amd64

package torture

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// writers are the scenarios whose command writes files.
func writers() (all []*scenario) {
	for _, s := range scenarios {
		if !s.stdout && s.registry != debian && s.name != "release-edited" {
			all = append(all, s)
		}
	}
	return all
}

// kills ends every command that writes by SIGKILL: before each call that changes something, and
// at random times. One in four spares the compilers that it has started, as the kernel does when
// memory runs out.
func kills() (cases []fault) {
	for _, s := range writers() {
		for n := 1; n <= surveyed[s].calls[""]; n++ {
			cases = append(cases, fault{
				kind: "kill", name: fmt.Sprintf("%s/call-%d", s.name, n), scenario: s,
				strike: func(w *worker, r *rand.Rand) outcome {
					spare := r.IntN(4) == 0
					return w.begin(s.command, w.tracer(changing, func(at int, _ call) action {
						if at != n {
							return action{}
						}
						return action{send: syscall.SIGKILL, only: spare}
					})).wait()
				},
			})
		}
		for n := range 10 {
			cases = append(cases, fault{
				kind: "kill", name: fmt.Sprintf("%s/time-%d", s.name, n+1), scenario: s,
				strike: func(w *worker, r *rand.Rand) outcome { return w.interrupt(s, r, syscall.SIGKILL, nil) },
			})
		}
	}
	return cases
}

// interrupt sends a signal at a random time of a run.
func (w *worker) interrupt(s *scenario, r *rand.Rand, send syscall.Signal, t *tracer) outcome {
	at := time.Duration(r.Float64() * 1.1 * float64(w.ready[s].took))
	p := w.begin(s.command, t)
	select {
	case ws := <-p.status: // too late
		p.status <- ws
	case <-time.After(at):
		if send == syscall.SIGKILL {
			killSession(p.pid)
		} else {
			p.tell(send)
		}
	}
	return p.wait()
}
