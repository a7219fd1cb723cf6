package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/output"
)

// verifierName is how the program is called where containerd looks for verifiers. containerd
// passes no argument that could name a command, so the name does.
const verifierName = "slipway-verifier"

// named returns the arguments for the command that the program's own name means.
func named(program string, args []string) []string {
	if strings.TrimSuffix(filepath.Base(program), ".exe") == verifierName {
		return append([]string{"verifier"}, args...)
	}
	return args
}

// maxReason is how many bytes of a reason are printed; containerd reads 32 KiB.
const maxReason = 2000

func newVerifier() *cobra.Command {
	var name, digest, input, dir string
	cmd := &cobra.Command{
		Use:   "verifier -name=IMAGE -digest=DIGEST",
		Short: "Decide for containerd whether an image may be pulled",
		Long: `Verifier is an image verifier of containerd (the plugin bindir, containerd 2.1 or newer). An
image is accepted only if a signed statement on this node names its digest, as an image of the
release or as a third-party image that the release lists, under the repository that the release
gives it. In a copy, the path below the registry's host may have another prefix. After promote,
the path below the registry of the release is enough, if it has two components or more.
Verifier uses no network.

Copy or link the program as ` + verifierName + ` into the directory bin_dir of the plugin. In
/etc/slipway (on Windows in ProgramData\slipway), or the directory -dir, are:

  keys/*.pub                   public keys of maintainers
  statements/*.sigstore.json   signed statements: provenance.sigstore.json of each release
  verifier.yaml                optional; threshold: how many of the keys must have signed
                               a release; allow: repositories that need no statement, such
                               as registry.k8s.io/pause, or registry.internal/tools/*

The reason is printed to standard output. Exit codes: 0 if the image may be pulled, 1 if not or
if something could not be read, 2 for a mistake in the command line.`,
		Example: `  slipway verifier -name=ghcr.io/me/kpack/controller:0.16.1 -digest=sha256:…
  ln -s /usr/local/bin/slipway /opt/containerd/image-verifier/bin/` + verifierName,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if name == "" || digest == "" {
				return misuse(cmd, "-name and -digest are needed, as containerd passes them")
			}
			h, err := v1.NewHash(digest)
			if err != nil {
				return misuse(cmd, "-digest=%.200s is malformed: write sha256: and 64 hexadecimal digits", digest)
			}
			reason, err := evidence.Decide(cmd.InOrStdin(), name, h, input, dir)
			if err != nil {
				reason = err.Error() // containerd shows standard output alone
			}
			_, printErr := fmt.Fprintln(cmd.OutOrStdout(), output.Excerpt(output.Line(reason), maxReason))
			return cmp.Or(err, printErr)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the name by which the image is pulled")
	cmd.Flags().StringVar(&digest, "digest", "", "what the name refers to")
	cmd.Flags().StringVar(&input, "stdin-media-type",
		"", "media type of standard input: that of a descriptor, or nothing if it is empty")
	dirFlag(cmd, &dir, "dir", settings(), "directory of keys and statements")
	return cmd
}

// settings is the directory of keys and statements of this node.
func settings() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("ProgramData"), "slipway")
	}
	return "/etc/slipway"
}
