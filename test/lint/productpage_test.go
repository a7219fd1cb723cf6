package lint_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lint"
)

const pageHead = `# Rules on real products

What ` + "`slipway lint`" + ` finds in manifests and charts that products publish with their Go modules. Each finding has been judged by hand: it
is right, and ` + "[products.golden.yaml](../../test/lint/testdata/products.golden.yaml)" + ` tells why. A false alarm is a bug. The test that compares
them writes this page: ` + "`cd test/lint && go test -run Products -update`" + `. Most findings are [os-missing](../rules.md#os-missing): a pod for
Linux that selects no operating system. Images were not looked up.

The most telling:

- kubernetes, ` + "`cluster/addons/node-problem-detector/npd.yaml:46`" + `: ` + "`nodeSelectors`" + ` is not a field, so that a DaemonSet for Linux starts on
  Windows nodes.
- cloud-provider-azure, ` + "`helm/cloud-provider-azure/templates/cloud-provider-azure.yaml:190`" + `: ` + "`required`" + ` tests the wrong value, so that the chart
  renders no image for Kubernetes 1.28 and later instead of stopping.
- dapr, ` + "`charts/dapr/charts/dapr_operator/templates/dapr_operator_deployment.yaml:180`" + `: a temporary directory in memory, with which the operator does not
  start on Windows although the chart has a value for that.
- local-path-provisioner, ` + "`examples/quota/local-path-storage.yaml:184`" + `: two ConfigMaps in one document, of which kubectl applies the second
  alone.
- argo-cd, ` + "`docs/operator-manual/argocd-repo-creds.yaml:38`" + `: numbers in a Secret, which the API server refuses.

| product | version | cases | objects | pods | errors | warnings |
|---|---|--:|--:|--:|--:|--:|
`

// page returns docs/results/lint-products.md.
func page(products []upstream, results [][]linted) string {
	type row struct {
		name, version                          string
		cases, objects, pods, errors, warnings int
	}
	total := row{name: "all"}
	rows := make([]row, 0, len(products))
	for n, u := range products {
		_, version, _ := strings.Cut(u.Module, "@")
		r := row{name: u.Name(), version: version, cases: len(results[n])}
		for _, l := range results[n] {
			r.objects += l.report.Objects
			r.pods += l.report.Pods
			r.errors += l.report.Count(lint.Error)
			r.warnings += l.report.Count(lint.Warning) + l.report.Count(lint.Note)
		}
		rows = append(rows, r)
		total.cases += r.cases
		total.objects += r.objects
		total.pods += r.pods
		total.errors += r.errors
		total.warnings += r.warnings
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.name, b.name) })
	var b strings.Builder
	b.WriteString(pageHead)
	for _, r := range append(rows, total) {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d |\n", r.name, r.version, r.cases, r.objects,
			r.pods, r.errors, r.warnings)
	}
	return b.String()
}

// Name returns what the product is called: the end of its module's path, without the major version.
func (u upstream) Name() string {
	path, version, _ := strings.Cut(u.Module, "@")
	dir, last := filepath.Split(path)
	if major, _, _ := strings.Cut(version, "."); last == major {
		path = strings.TrimSuffix(dir, "/")
	}
	return filepath.Base(path)
}
