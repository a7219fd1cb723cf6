package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/internal/transfer"
)

// question is something to ask a registry.
type question struct {
	host   string
	ask    func(context.Context) error
	failed *error // set to what ask returns
}

// askAll asks everything, and returns each failure once. Of each registry, one question is asked
// alone, so that a registry that does not answer is reported once and asked no more.
func askAll(ctx context.Context, c *transfer.Client, all []question) error {
	var hosts []string
	of := map[string][]question{}
	for _, q := range all {
		if of[q.host] == nil {
			hosts = append(hosts, q.host)
		}
		of[q.host] = append(of[q.host], q)
	}
	err := transfer.Each(ctx, c, hosts, func(ctx context.Context, _ int, host string) error {
		first := of[host][0]
		if *first.failed = first.ask(ctx); *first.failed != nil && !answered(*first.failed) {
			for _, q := range of[host][1:] {
				*q.failed = errSilent{host}
			}
			return ctx.Err()
		}
		return transfer.Each(ctx, c, of[host][1:], func(ctx context.Context, _ int, q question) error {
			*q.failed = q.ask(ctx)
			return ctx.Err()
		})
	})
	if err != nil {
		return context.Cause(ctx)
	}
	var failures []error
	said := map[string]bool{}
	for _, q := range all {
		if err := *q.failed; err != nil && !errors.As(err, &errSilent{}) && !said[err.Error()] {
			said[err.Error()] = true
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// errSilent means that a registry was not asked, because it has left another question unanswered.
type errSilent struct{ host string }

func (e errSilent) Error() string { return fmt.Sprintf("%s does not answer", e.host) }
