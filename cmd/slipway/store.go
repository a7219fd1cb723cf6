package main

import "github.com/spf13/cobra"

func newStore(f *flags) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "store",
		Short: "Check the store of built images",
	})
	cmd.AddCommand(newStoreVerify(f))
	return cmd
}
