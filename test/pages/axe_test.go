package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/slipway-dev/slipway/internal/testing/cache"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// axeSource is the script of axe-core.
var axeSource = sync.OnceValues(func() (string, error) {
	ctx, err := start()
	if err != nil {
		return "", err
	}
	dir, err := cache.NodeModules(ctx, "axe", "pages-axe")
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(dir, "axe-core", "axe.min.js"))
	return string(b), err
})

// accessible reports where a page breaks axe's rules for WCAG 2.1 AA.
func accessible(o *tab) (wrong []string) {
	if !evaluate[bool](o, `() => "axe" in window`) {
		source, err := axeSource()
		must(o.t, err)
		must(o.t, chromedp.Do(o.ctx, chromedp.Evaluate[chromedp.Void](source)))
	}
	type node struct {
		HTML           string
		Target         []string
		FailureSummary string
	}
	type rule struct {
		ID, Help string
		Nodes    []node
	}
	result := evaluate[struct {
		Violations []rule
		Passes     []rule
	}](o, `async () => {
		const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
		const r = await axe.run(document, {runOnly: {type: "tag", values: tags}, resultTypes: ["violations"]});
		return {violations: r.violations, passes: r.passes.map(p => ({id: p.id, help: p.help}))};
	}`)
	if len(result.Passes) < 5 {
		wrong = append(wrong, fmt.Sprintf("axe checked little: %v", result.Passes))
	}
	for _, v := range result.Violations {
		wrong = append(wrong, fmt.Sprintf("%s: %s, at %d places: %s\n%s", v.ID, v.Help, len(v.Nodes),
			v.Nodes[0].HTML, strings.TrimSpace(v.Nodes[0].FailureSummary)))
	}
	return wrong
}

// TestAccessible runs axe on the pages in light and dark, and on one that has all sections on a
// small screen, where tables are scrolled.
func TestAccessible(t *testing.T) {
	testprog.Need(t, "node")
	light, dark, small := view{width: 1440}, view{width: 1440, dark: true}, view{width: 360}
	for name, m := range map[string]struct {
		of    *released
		views []view
	}{
		"kpack": {kpack(t), []view{light, dark}}, "hello": {hello(t), []view{dark}},
		"changed": {changed(t), []view{light, dark, small}},
	} {
		o := open(t, m.of.page, m.views[0])
		for _, v := range m.views {
			o.look(v)
			report(t, name+" "+v.String(), accessible(o))
		}
	}
}
