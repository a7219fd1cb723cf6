package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/signature"
)

func newKeygen(f *flags) *cobra.Command {
	var out string
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, path := range []string{out + ".key", out + ".pub"} {
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s exists: choose another name with -name, since a lost key cannot be made again", path)
				}
			}
			password, err := newPassword(cmd)
			if err != nil {
				return err
			}
			private, public, err := signature.Generate(password)
			if err != nil {
				return err
			}
			k, err := signature.ParsePublicKey(public)
			if err != nil {
				return err
			}
			held, err := disk.Lock(cmd.Context(), filepath.Dir(out), saying(cmd))
			if err != nil {
				return fmt.Errorf("writing the private key: %w", err)
			}
			defer held.Unlock()
			if err := disk.New(out+".key", private, disk.ModePrivate); err != nil {
				return fmt.Errorf("writing the private key: %w", err)
			}
			if err := disk.New(out+".pub", public, disk.ModeFile); err != nil {
				os.Remove(out + ".key") //nolint:errcheck // a key without its other half is of no use
				return fmt.Errorf("writing the public key: %w", err)
			}
			return f.show(cmd, madeKey{Private: out + ".key", Public: out + ".pub", Fingerprint: k.Fingerprint()})
		},
	}
	cmd.Flags().StringVar(&out, "name", "release", "what the names of both files begin with")
	f.addJSON(cmd)
	return cmd
}

// madeKey is the printed result of making a key.
type madeKey struct {
	Private     string `json:"private"` // the files
	Public      string `json:"public"`
	Fingerprint string `json:"fingerprint"`
}

// WriteTable says where the key is, and what it is called.
func (k madeKey) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s signs releases, and %s verifies them: %s\n", k.Private, k.Public, k.Fingerprint)
	return err
}
