package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/render/workload"
)

func newNodes(f *flags) *cobra.Command {
	n := &nodesOf{}
	cmd := &cobra.Command{
		Use:   "nodes [CHART ...]",
		Short: "Report which nodes run a release, and why the others do not",
		Long: `Nodes compares every pod template in release.yaml and every image in release.lock.json with
the nodes of a cluster: operating system, architecture, Windows build, taints and tolerations,
node selectors, required affinity, and resource requests. Nodes ignores free capacity, ports
and volumes, which change all the time. kpack's Image and Build count as pods.

The pods of the release's charts, whose archives are next to the lock, count with the charts' own
values or those of -values. Charts that are named, each a directory with a Chart.yaml or a .tgz,
take their place.

The nodes are those of the cluster that kubectl uses, or with -nodes those in the output of
"kubectl get nodes -o json".

A node that may get a pod which its kubelet or runtime then cannot run is an error: the table has
"fails".

Exit codes: 0 if every pod and image has a node that can run it, and no pod fails where it may be
placed, 1 if not, or if a file is missing, 2 for a mistake in the command line, 3 if the cluster
does not answer.`,
		Example: `  slipway nodes -release=dist/release.yaml
  kubectl get nodes -o json | slipway nodes -release=dist/release.yaml -nodes=- -json
  slipway nodes -release=dist/release.yaml -lock=dist/release.lock.json \
      -kubeconfig=staging.yaml -context=windows
  slipway nodes -values=windows.yaml dist/app-1.0.0.tgz`,
		RunE: f.prints(n.run),
	}
	fileFlag(cmd, &n.manifest, "release", filepath.Join("dist", release.Manifest),
		"release.yaml of the release; - is standard input", "yaml", "yml")
	addLock(cmd, &n.lockFile, " (default the one next to release.yaml)")
	addValues(cmd, &n.values)
	addNodes(cmd, &n.file, ", instead of a cluster; - is standard input")
	cmd.Flags().StringVar(&n.cluster.Kubeconfig,
		"kubeconfig", "", "the kubeconfig of the cluster (default that of kubectl)")
	cmd.Flags().StringVar(&n.cluster.Context, "context", "", "the kubeconfig's context (default the current one)")
	return add(cmd, f.addJSON)
}

// nodesOf has the flags of the command.
type nodesOf struct {
	manifest, lockFile, file string
	values                   []string
	cluster                  nodes.Cluster
}

func (n *nodesOf) run(cmd *cobra.Command, args []string) (table, error) {
	if n.file != "" && (n.cluster.Kubeconfig != "" || n.cluster.Context != "") {
		return nil,
			howto.Usage("-nodes reads a file, -kubeconfig and -context a cluster: leave one of them out")
	}
	if n.manifest == "-" && n.file == "-" {
		return nil, howto.Usage("-release and -nodes both read standard input: name a file for one of them")
	}
	path := cmp.Or(n.lockFile, filepath.Join(filepath.Dir(n.manifest), lock.Name))
	l, err := lock.ReadGiven(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: name the lock of the release with -lock", err)
	}
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	sources, unknown, err := nodes.ReadCharts(cmd.Context(), args, n.values, l, dir)
	if err != nil {
		return nil, err
	}
	if len(sources)+len(unknown) == 0 {
		if err := idle(cmd, chartless, "values"); err != nil {
			return nil, err
		}
	}
	objects, err := workload.ReadFile(n.manifest)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(sources) > 0 && !cmd.Flags().Changed("release"): // there are charts only
		if sums, err := evidence.Sums(dir); err == nil && sums[release.Manifest] != "" && len(args) == 0 {
			unknown = append(unknown,
				fmt.Sprintf("%s is not judged: it is not there: name it with -release", n.manifest))
		}
	case err != nil:
		return nil, err
	default:
		sources = append([]nodes.Source{{Objects: objects}}, sources...)
	}
	list, err := n.list(cmd)
	if err != nil {
		return nil, err
	}
	r := nodes.Check(sources, l, list)
	r.Unknown = unknown
	return verdict{r, r.Err()}, nil
}

// list lists the nodes of the file, or of the cluster.
func (n *nodesOf) list(cmd *cobra.Command) ([]nodes.Node, error) {
	if n.file != "" {
		return nodes.ReadFile(n.file)
	}
	n.cluster.UserAgent = "slipway/" + identify().Version
	return nodes.List(cmd.Context(), n.cluster)
}
