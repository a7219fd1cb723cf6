package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/product"
)

// renewal has the flags of commands that keep digests and tags current.
type renewal struct {
	update, check bool
	newer         imagetag.Level
}

// addRenewal adds the flags of commands that keep digests and tags current.
func (f *flags) addRenewal(cmd *cobra.Command, r *renewal, current string) {
	cmd.Flags().StringVar(&f.product, "product", product.File, "the product's description")
	cmd.Flags().BoolVar(&r.update, "update", false, "renew "+current+", too")
	cmd.Flags().BoolVar(&r.check, "check", false, "write nothing, and fail where -update would change something")
	cmd.Flags().TextVar(&r.newer, "newer", imagetag.None, "raise tags to newer versions: patch or minor")
	cmd.MarkFlagFilename("product", "yaml", "yml")                                                                                  //nolint:errcheck // fails only where the flag is missing
	cmd.RegisterFlagCompletionFunc("newer", cobra.FixedCompletions([]string{"patch", "minor"}, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // as above
	f.addJSON(cmd)
}
