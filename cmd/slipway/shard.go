package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/handoff"
	"github.com/slipway-dev/slipway/shard/jobs"
	"github.com/slipway-dev/slipway/store"
)

func newShard(f *flags) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "shard",
		Short: "Make a release on several machines",
		Long: `A release is divided by "slipway plan -shards". Each machine makes one shard by "slipway release
-plan -shard", and "slipway merge" joins the parts. See docs/shards.md.`,
	})
	cmd.AddCommand(newKubernetes(f), newTekton(f), newFetch(f))
	return cmd
}

func newFetch(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:   "fetch PLAN",
		Short: "Bring the files of a release that other machines made",
		Long: `Fetch brings the files of a release from the registry into the output directory, after
"slipway merge -plan=PLAN -push" has put them there on another machine: in a cluster, for
instance. PLAN is what "slipway plan -push" printed. SHA256SUMS is written last.`,
		Example: "  slipway shard fetch ghcr.io/me/hello-plans@sha256:… -out=dist",
		RunE: f.prints(func(cmd *cobra.Command, args []string) (result table, err error) {
			err = f.withPlan(cmd, args[0], func(p *handoff.Plan) error {
				unlock, err := release.Hold(cmd.Context(), f.out, nil)
				if err != nil {
					return err
				}
				defer unlock()
				names, err := p.FetchFiles(cmd.Context(), f.out, func(names []string) error {
					return release.Claim(f.out, p.Name, names)
				}, func(names []string) error {
					if err := release.Supersede(f.out, distfile.Lock); err != nil {
						return err
					}
					return release.Sweep(f.out, names, nil, f.printer(cmd))
				})
				result = line(fmt.Sprintf("%d files of %s %s in %s", len(names), p.Name, p.Version, f.out))
				return err
			})
			return result, err
		}),
	}, f.addStoreHere, f.addOut, f.addQuiet)
}

func newKubernetes(f *flags) *cobra.Command {
	var o jobs.Options
	cmd := f.engine(jobs.Kubernetes, &o, &cobra.Command{
		Use:   "kubernetes PLAN",
		Short: "Print the Jobs that make a release on a cluster",
		Long: `Kubernetes prints manifests that make the shards of a plan on a cluster: a ServiceAccount
without rights, an Indexed Job with a pod for each shard, and a Job that waits for them and merges
the release. PLAN is what "slipway plan -push" printed. The pods share nothing but the registry,
need no rights in the cluster, and run in a namespace that admits restricted pods only. "slipway
shard fetch" brings the files of the release from the registry. Whoever may push to the registry
may put parts there, so the Job signs nothing: with -shards-only there is none, and the machine
with the key merges the parts that the pods print. See docs/kubernetes.md.`,
		Example: `  slipway shard kubernetes ghcr.io/me/hello-plans@sha256:… \
      -image=ghcr.io/slipway-dev/slipway:1.0.0 -registry-secret=ghcr | kubectl apply -f -`,
	})
	cmd.Flags().IntVar(&o.Parallel, "parallel", 0, "how many shards are made at a time (default all)")
	return cmd
}

func newTekton(f *flags) *cobra.Command {
	return f.engine(jobs.Tekton, &jobs.Options{}, &cobra.Command{
		Use:   "tekton PLAN",
		Short: "Print the PipelineRun that makes a release with Tekton",
		Long: `Tekton prints what "slipway shard kubernetes" does for Tekton: a PipelineRun with the shards of a
plan as the matrix of one task, and a task that merges the release after them. PLAN is what
"slipway plan -push" printed. See docs/kubernetes.md.`,
		Example: `  slipway shard tekton ghcr.io/me/hello-plans@sha256:… \
      -image=ghcr.io/slipway-dev/slipway:1.0.0 | kubectl apply -f -`,
	})
}

// engine makes the command that prints a plan for an engine of jobs.
func (f *flags) engine(write func(*shard.Plan, jobs.Options) ([]byte, error),
	o *jobs.Options, cmd *cobra.Command,
) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.Check(); err != nil {
			return howto.Usage("%w", err)
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
	cmd.Flags().StringVar(&o.Name, "job-name", "", "name of the objects (default the product's name and version)")
	cmd.Flags().StringVar(&o.Registry, "registry-secret",
		"", "the secret of type kubernetes.io/dockerconfigjson with the credentials for the registry")
	cmd.Flags().BoolVar(&o.ShardsOnly, "shards-only", false,
		"leave the merge to another machine: one that signs, which no pod can")
	cmd.Flags().StringVar(&o.Arch, "arch", "amd64",
		"the architecture of the nodes, that of the slipway that made the plan")
	cmd.Flags().StringVar(&o.CPU, "cpu", "2", "the processors of a pod")
	cmd.Flags().StringVar(&o.Memory, "memory", "4Gi", "the memory of a pod")
	cmd.Flags().StringVar(&o.Disk, "disk", "20Gi", "the disk of a pod")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 2*time.Hour, "how long the release may take in all")
	cmd.Flags().StringArrayVar(&o.Env, "env", nil,
		"NAME=VALUE: a variable of every pod, such as GOPROXY or HTTPS_PROXY")
	return add(cmd, f.addStoreHere, f.addQuiet)
}

// addStoreHere adds the flag of commands that need the store and no slipway.yaml: a plan has its
// own.
func (f *flags) addStoreHere(cmd *cobra.Command) {
	dirFlag(cmd, &f.store, "store", "", "directory of the store (default .slipway)")
}

// interval is how long merge waits before it looks for the parts of shards again.
const interval = 5 * time.Second

// adopt brings a plan from a registry, if ref names one, and makes its slipway.yaml that of the
// command. done removes its files.
func (f *flags) adopt(cmd *cobra.Command, ref, does string) (done func(), err error) {
	if !handoff.IsReference(ref) {
		return func() {}, nil
	}
	if cmd.Flags().Changed("product") {
		return nil, howto.Usage("-product: the plan in the registry has its own slipway.yaml: leave it out")
	}
	f.store = f.storeDir()
	if f.work, err = handoff.NewWork(cmd.Context(), f.store, ref, does, saying(cmd)); err != nil {
		return nil, err
	}
	err = f.withPlan(cmd, ref, f.work.Unpack)
	f.product = f.work.Product
	if err != nil {
		f.work.Close()
		return nil, err
	}
	return f.work.Close, nil
}

// withPlan calls do with a plan of a registry, and keeps the store locked.
func (f *flags) withPlan(cmd *cobra.Command, ref string, do func(*handoff.Plan) error) error {
	return f.inStore(cmd, func(st *store.Store, o network.Options) error {
		p, err := handoff.Fetch(cmd.Context(), st, o, ref)
		if err != nil {
			return err
		}
		return do(p)
	})
}

// pushPlan puts a plan into the registry and returns its reference.
func (f *flags) pushPlan(cmd *cobra.Command, p *product.Product, plan *shard.Plan) (ref string, err error) {
	err = f.inStore(cmd, func(st *store.Store, o network.Options) error {
		pushed, err := handoff.PushPlan(cmd.Context(), st, o, p, plan)
		ref = pushed.String()
		return err
	})
	return ref, err
}

// inStore calls do with the store, locked.
func (f *flags) inStore(cmd *cobra.Command, do func(*store.Store, network.Options) error) error {
	pr := f.newPrinter(cmd)
	defer pr.Close()
	st, leave, err := f.open(cmd.Context(), pr)
	if err != nil {
		return err
	}
	defer leave()
	return do(st, network.Options{Progress: pr})
}
