package main

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release/doctor"
)

func newDoctor(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:   "doctor",
		Short: "Try what a release needs: programs, disks, clock, logins, proxies",
		Long: `Doctor tries what a release needs and prints a line for each: slipway.yaml, Go and git, room
and locks in the store and the output directory, what protects while other releases are
compiled, proxies, and for every registry its clock, the right to push each repository, and
where the credentials are from. Doctor leaves nothing on the disk or in a registry. A
problem ends with what to do about it, and the exit code is then 1, or 3 if a server refuses the
login or does not answer.

Without slipway.yaml it examines the machine and the registries that -registry names.
Without a registry it asks none.`,
		Example: "  slipway doctor\n  slipway doctor -registry=ghcr.io/me -json",
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			o := doctor.Options{
				Out: f.out, Store: f.storeDir(),
				Network: network.Options{Attempts: 2, Idle: 20 * time.Second},
			}
			if _, err := os.Stat(f.product); errors.Is(err, fs.ErrNotExist) && !cmd.Flags().Changed("product") {
				o.Undescribed = true
				if err := idle(cmd, "without a "+f.product, "version", "channel"); err != nil {
					return nil, err
				}
			}
			p, err := f.examined(cmd, &o)
			if err != nil {
				return nil, err
			}
			r := doctor.Examine(cmd.Context(), p, o)
			return verdict{r, r.Err()}, cmd.Context().Err() // which is why checks failed
		}),
	}, f.addPlaces, f.addRegistry, f.addVersion, f.addJSON)
}

// examined returns the product to examine. If slipway.yaml has errors, which become findings, that
// is an empty one.
func (f *flags) examined(cmd *cobra.Command, o *doctor.Options) (*product.Product, error) {
	if o.Undescribed {
		return product.Undescribed(product.Options{Registries: f.registry})
	}
	p, err := f.load(cmd.Context())
	if err != nil && cmd.Context().Err() == nil && !errors.Is(err, howto.ErrUsage) {
		o.Faults = output.Split(err)
		return &product.Product{}, nil
	}
	return p, err
}
