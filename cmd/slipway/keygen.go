package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/signature"
)

func newKeygen(f *flags) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "keygen",
		Short: "Make a key that signs releases",
		Long: `Keygen makes an ECDSA key on P-256 and writes its two halves: NAME.key, which signs releases and
is encrypted by a password, and NAME.pub, by which others verify them. cosign reads both files.
It does not overwrite files.

The password is that of SLIPWAY_PASSWORD, or is asked for on the terminal. Give NAME.pub to the
operators in another way than the release: a key that comes with a release proves nothing.`,
		Example: "  slipway keygen -name=release",
		Args:    usage(cobra.NoArgs),
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			files, err := signature.FilesOf(name)
			if err != nil {
				return nil, err
			}
			password, err := newPassword(cmd)
			if err != nil {
				return nil, err
			}
			return files, files.Generate(cmd.Context(), password, saying(cmd))
		}),
	}
	cmd.Flags().StringVar(&name, "name", "release", "what the names of both files begin with")
	return add(cmd, f.addJSON)
}
