package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/handoff"
	"github.com/slipway-dev/slipway/shard/jobs"
)

func newKubernetes(f *flags) *cobra.Command {
	var o jobs.Options
	cmd := f.engine(jobs.Kubernetes, &o, &cobra.Command{
		Use:   "kubernetes PLAN",
		Short: "Print the Jobs that make a release on a cluster",
		Long: `Kubernetes prints manifests that make the shards of a plan on a cluster: a ServiceAccount
without rights, an Indexed Job with a pod for each shard, and a Job that waits for them and merges
the release. PLAN is what "slipway plan -push" printed. The pods share nothing but the registry,
need no rights in the cluster, and run in a namespace that admits restricted pods only. "slipway
fetch" brings the files of the release from the registry. docs/kubernetes.md tells more.`,
		Example: `  slipway kubernetes ghcr.io/me/hello-plans@sha256:… -image=ghcr.io/slipway-dev/slipway:1.0.0 -registry-secret=ghcr | kubectl apply -f -`,
	})
	cmd.Flags().IntVar(&o.Parallel, "parallel", 0, "how many shards are made at a time (default all)")
	return cmd
}

func newTekton(f *flags) *cobra.Command {
	return f.engine(jobs.Tekton, &jobs.Options{}, &cobra.Command{
		Use:   "tekton PLAN",
		Short: "Print the PipelineRun that makes a release with Tekton",
		Long: `Tekton prints what "slipway kubernetes" does for Tekton: a PipelineRun with the shards of a
plan as the matrix of one task, and a task that merges the release after them. PLAN is what
"slipway plan -push" printed. docs/kubernetes.md tells more.`,
		Example: `  slipway tekton ghcr.io/me/hello-plans@sha256:… -image=ghcr.io/slipway-dev/slipway:1.0.0 | kubectl apply -f -`,
	})
}

// engine makes the command that prints a plan for an jobs.
func (f *flags) engine(write func(*shard.Plan, jobs.Options) ([]byte, error), o *jobs.Options, cmd *cobra.Command) *cobra.Command {
	cmd.Args = usage(cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.Check(); err != nil {
			return usageError{err}
		}
		return f.withPlan(cmd, args[0], func(p *handoff.Plan) error {
			o.Plan = p.Ref.String()
			text, err := write(p.Plan, *o)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		})
	}
	cmd.Flags().StringVar(&o.Image, "image", "", "the image of slipway, with a Go toolchain")
	cmd.Flags().StringVar(&o.Name, "name", "", "the name of the objects (default the product's name and version)")
	cmd.Flags().StringVar(&o.Registry, "registry-secret", "", "the secret of type kubernetes.io/dockerconfigjson with the credentials for the registry")
	cmd.Flags().StringVar(&o.Key, "key-secret", "", "the secret with release.key and password, by which merge signs; only its pod gets it")
	cmd.Flags().StringVar(&o.Arch, "arch", "amd64", "the architecture of the nodes, that of the slipway that made the plan")
	cmd.Flags().StringVar(&o.CPU, "cpu", "2", "the processors of a pod")
	cmd.Flags().StringVar(&o.Memory, "memory", "4Gi", "the memory of a pod")
	cmd.Flags().StringVar(&o.Disk, "disk", "20Gi", "the disk of a pod")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 2*time.Hour, "how long the release may take in all")
	cmd.Flags().StringArrayVar(&o.Env, "env", nil, "NAME=VALUE: a variable of every pod, such as GOPROXY or HTTPS_PROXY")
	dirFlag(cmd, &f.store, "store", "", "directory where the plan is kept (default .slipway)")
	f.addQuiet(cmd)
	return cmd
}
