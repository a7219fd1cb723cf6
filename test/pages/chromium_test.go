package pages

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// control is the host that mutants ask for something.
const control = "control.invalid"

// outside is what Chromium takes for its proxy: it notes which host is asked for something, and
// never answers.
var outside = &proxy{}

type proxy struct {
	mu   sync.Mutex
	seen []string
}

// serve notes the first line of each connection.
func (p *proxy) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			line, _ := bufio.NewReader(c).ReadString('\n')
			p.mu.Lock()
			p.seen = append(p.seen, strings.TrimSpace(line))
			p.mu.Unlock()
			c.Close()
		}()
	}
}

func (p *proxy) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// stopChromium ends the Chromium that start started.
var stopChromium = func() {}

// start starts the one Chromium of the suite. Its context lives until stopChromium.
var start = sync.OnceValues(func() (context.Context, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go outside.serve(l)
	var out strings.Builder
	ctx, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath("chromium"), chromedp.UserDataDir(filepath.Join(workDir, "profile")),
		chromedp.CombinedOutput(&out),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-extensions", true),
		chromedp.Flag("process-per-site", true), // a process for all tabs, not for each
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.ProxyServer(l.Addr().String()), chromedp.Flag("proxy-bypass-list", "<-loopback>"),
	)
	ctx, closeAll := chromedp.NewContext(ctx)
	stopChromium = func() { closeAll(); stop(); l.Close() } // nothing was written
	if err := chromedp.Do(ctx); err != nil {
		return nil, fmt.Errorf("starting chromium: %w\n%s", err, out.String())
	}
	return ctx, nil
})

// chromium returns the context of the running Chromium, in which tabs are opened.
func chromium(t testing.TB) context.Context {
	t.Helper()
	testprog.Need(t, "chromium")
	ctx, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}
