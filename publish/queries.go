package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// query is something to ask a registry.
type query struct {
	host   string
	ask    func(context.Context) error
	failed *error // set to what ask returns, unless it is nil
}

// queryAll asks everything, which may be nothing, and returns each failure once. Of each registry,
// one query is asked alone, so that a registry that does not answer is reported once and asked
// no more.
func queryAll(ctx context.Context, c *transfer.Client, all []query) error {
	var hosts []string
	of := map[string][]int{}
	for n, q := range all {
		if of[q.host] == nil {
			hosts = append(hosts, q.host)
		}
		of[q.host] = append(of[q.host], n)
	}
	failures := make([]error, len(all))
	err := transfer.Each(ctx, c, hosts, func(ctx context.Context, _ int, host string) error {
		first, others := of[host][0], of[host][1:]
		if failures[first] = all[first].ask(ctx); failures[first] != nil && !answered(failures[first]) {
			for _, n := range others {
				failures[n] = errSilent{host}
			}
			return ctx.Err()
		}
		return transfer.Each(ctx, c, others, func(ctx context.Context, _ int, n int) error {
			failures[n] = all[n].ask(ctx)
			return ctx.Err()
		})
	})
	if err != nil {
		return context.Cause(ctx)
	}
	var errs []error
	for n, q := range all {
		err := failures[n]
		if q.failed != nil {
			*q.failed = err
		}
		if !errors.As(err, &errSilent{}) {
			errs = append(errs, err)
		}
	}
	return output.JoinOnce(errs...)
}

// answered reports whether a registry has answered.
func answered(err error) bool {
	return errors.As(err, new(*transport.Error)) || errors.As(err, &unfit{})
}

// unfit is the error of an image that no release can take, by what its registry answers.
type unfit struct{ error }

func (e unfit) Unwrap() error { return e.error }

// errSilent means that a registry was not asked, because it has left another query unanswered.
type errSilent struct{ host string }

func (e errSilent) Error() string { return fmt.Sprintf("%s does not answer", e.host) }
