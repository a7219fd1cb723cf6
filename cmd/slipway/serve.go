package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry"
)

func newServe(f *flags) *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the images of the last release as a registry on this machine",
		Long: `Serve serves the images of the last release as a read-only registry until it is interrupted,
so that crane, skopeo, docker or containerd can pull them. Ctrl-C ends it with exit code
0. The first line of output is the address, by default on loopback. Requests for other host names
are refused, because any web page can make its name resolve to this machine. With -addr=0.0.0.0:5000 or
-addr=NAME:5000, everybody on the network can pull the images without a password.`,
		Example: `  slipway serve
  slipway serve -addr=127.0.0.1:5000`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, _, err := net.SplitHostPort(addr); err != nil {
				return misuse(cmd, "-addr=%s: write HOST:PORT", addr)
			}
			l, err := lock.Read(filepath.Join(f.out, lock.Name))
			if err != nil {
				return fmt.Errorf("%w: run %s first", err, howto.Run("release"))
			}
			st, unlock, err := f.open(cmd.Context(), f.printer(cmd))
			if err != nil {
				return err
			}
			unlock()
			handler := registry.Handler(st, l)
			for _, text := range handler.Ambiguous() {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+text)
			}
			return registry.Serve(cmd.Context(), addr, handler, func(at net.Addr) {
				fmt.Fprintln(cmd.OutOrStdout(), at)
				if f.quiet {
					return
				}
				host, warning := registry.Address(at)
				if warning != "" {
					fmt.Fprintln(cmd.ErrOrStderr(), warning)
				}
				for _, i := range l.Published() {
					fmt.Fprintf(cmd.ErrOrStderr(), "  %s\n", pullName(host, i))
				}
			})
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "address to listen on; port 0 is any free port")
	return add(cmd, f.addPlaces, f.addQuiet)
}

// pullName returns the name that pulls an image of a lock from a registry at host that serves the
// store.
func pullName(host string, i lock.Image) string {
	_, path, _ := strings.Cut(i.Tagged(), "/")
	return host + "/" + path
}
