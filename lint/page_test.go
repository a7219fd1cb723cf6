package lint

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pageHead is the part of docs/rules.md above the rules.
const pageHead = `# Rules

What ` + "`slipway lint`" + ` finds in a manifest, as does every release in its release.yaml, and [` + "`slipway audit`" + `](audit.md) in images, as do a release, pin and promote. This page is made from the table in package lint:
` + "`go test ./lint -update`" + ` writes it.

An **error** ends a release: the API server refuses the object, or a node does not do what the manifest says. A **warning** is shown: the
pod may run, but not everywhere, or not as its author intends. A **note** works today, but not with every runtime. A node ignores the field
of a rule that is an *error with os.name*, which is a warning; if ` + "`spec.os.name`" + ` is windows, the API server refuses the pod. A rule that
is an *error in a release* needs to know that a text is an image: the image of a container or volume, the value of a key ` + "`image`" + `, a variable
or ConfigMap key whose name ends in image, or a reference to an image of the product. In a release every image must be pinned and in the lock.
For a rule that is *shown once*, the text output has the first finding and the number of the others and of their files; ` + "`slipway lint -v`" + ` lists
all, as ` + "`-json` and `-sarif`" + ` do.

[Real products](results/lint-products.md) have been judged by these rules, and each finding by hand.

In a release, a finding names the line of the template that it comes from; ` + "`slipway lint`" + ` names the line of release.yaml.

A comment with a reason allows a finding that is intended, on its line, the line above it, or above the object:

` + "```yaml" + `
# slipway:allow windows-sub-path containerd 2 on all our nodes
` + "```" + `

A rendered manifest has no comments; there, ` + "`slipway.yaml`" + ` allows it:

` + "```yaml" + `
lint:
  allow:
    - rule: windows-sub-path
      object: DaemonSet demo/agent              # without it, every object
      path: spec.template.spec.containers[0]    # without it, every field
      reason: containerd 2 on all our nodes
    - rule: index-os-version
      object: ghcr.io/acme/tool:1.2             # an image: its repository, or a reference with or without digest
      path: windows/amd64                       # an entry of its index, as findings name it
      reason: it runs on nodes of one build alone
` + "```" + `

The rules start from the Kubernetes [enhancement for Windows nodes](` + Enhancement + `)
of 2019, which went through the API field by field. Each is what Kubernetes does today; if that differs from the enhancement, *in 2019*
tells how. *Refused* is the first Kubernetes release whose API server refuses the field if ` + "`spec.os.name`" + ` is the pod's operating system;
without ` + "`spec.os.name`" + ` it accepts most fields, and the node ignores them. The operating system of a pod follows from its node selector and
required node affinity, including those of its RuntimeClass in the same manifest.

Images are the images of pods and the references in every other text: arguments, variables, ConfigMaps, Secrets, annotations and custom
resources. In texts, these forms count: ` + "`ko://…`" + ` and a reference with a digest, anywhere; a reference with a tag to an image of images.txt, and
any to an image of the product, anywhere; ` + "`HOST/PATH:TAG`" + ` as the only word of a value, if the host has a dot or a port; and ` + "`PATH:TAG`" + ` as the
value of something that is called an image (` + "`--shell-image`, `FOO_IMAGE`, `image:`" + `). A value is the text, a line of it, or what follows a name
in its line. In comments of ConfigMaps, and in values called ` + "`_example`" + ` there, only ` + "`ko://`" + ` and, in a release, images of the product count.
`

// TestPage compares docs/rules.md with the table of rules.
func TestPage(t *testing.T) {
	const path = "../docs/rules.md"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), page()); diff != "" {
		t.Errorf("%s is out of date: run go test ./lint -update\n%s", path, diff)
	}
}

// page returns docs/rules.md.
func page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, group := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n| rule | severity | what |\n|---|---|---|\n", group.title)
		for _, r := range group.rules {
			fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, r.pageSeverity(), r.Title)
		}
		for _, r := range group.rules {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s\n\n", r.ID, sentence(r.Title), r.Reason)
			fmt.Fprintf(&b, "- instead: %s\n", r.Instead)
			if r.Since != "" {
				fmt.Fprintf(&b, "- since: Kubernetes %s\n", r.Since)
			}
			if r.Rejected != "" {
				fmt.Fprintf(&b, "- refused: since Kubernetes %s\n", r.Rejected)
			}
			if r.Changed != "" {
				fmt.Fprintf(&b, "- in 2019: %s\n", r.Changed)
			}
			if r.Seen != "" {
				fmt.Fprintf(&b, "- seen: %s\n", r.Seen)
			}
			if r.ReleaseOnly {
				b.WriteString("- applies: to all manifests of a release\n")
			}
			switch {
			case r.Folds:
				b.WriteString("- shown: once\n")
			case r.Ignored:
				b.WriteString("- shown: warnings once\n")
			}
			fmt.Fprintf(&b, "- see: <%s>\n", r.Link)
		}
	}
	return b.String()
}

// pageSeverity is the rule's severity as docs/rules.md writes it.
func (r Rule) pageSeverity() string {
	switch {
	case r.Ignored:
		return "warning; error with os.name"
	case r.Strict:
		return "warning; error in a release"
	}
	return string(r.Severity)
}
