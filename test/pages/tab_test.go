package pages

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// view is how a page is looked at.
type view struct {
	width    int64
	dark     bool
	noScript bool
	print    bool
}

func (v view) String() string {
	name := fmt.Sprintf("%d-%s", v.width, v.scheme())
	if v.print {
		name += "-print"
	}
	return name
}

// scheme is the color scheme that a reader prefers.
func (v view) scheme() string { return map[bool]string{false: "light", true: "dark"}[v.dark] }

// tab is an open page.
type tab struct {
	t     testing.TB
	ctx   context.Context
	path  string
	url   string
	close context.CancelFunc

	mu       sync.Mutex
	console  []string
	requests []string
}

// open opens a file in a tab of its own, and waits until it is loaded.
func open(t testing.TB, path string, v view) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium(t))
	t.Cleanup(cancel)
	o := &tab{t: t, ctx: ctx, close: cancel}
	must(t, chromedp.Listen(ctx, o.event))
	o.show(path, v)
	return o
}

// show opens another file in the tab, which costs a tenth of a tab of its own.
func (o *tab) show(path string, v view) {
	o.t.Helper()
	o.look(v)
	o.mu.Lock()
	o.path, o.url, o.console, o.requests = path, "file://"+path, nil, nil
	o.mu.Unlock()
	must(o.t, chromedp.Do(o.ctx, chromedp.Navigate(o.url)))
}

// event notes what a page writes to the console, and what it asks for.
func (o *tab) event(e any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		o.console = append(o.console, fmt.Sprintf("%s: %s", e.Type, e.Args[0].Value))
	case *runtime.EventExceptionThrown:
		o.console = append(o.console, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		o.console = append(o.console, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		if e.Request.URL != o.url && !strings.HasPrefix(e.Request.URL, "data:") {
			o.requests = append(o.requests, e.Request.URL)
		}
	}
}

// look changes the screen.
func (o *tab) look(v view) {
	o.t.Helper()
	call(o, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: v.width, Height: 900, DeviceScaleFactor: 1})
	medium := map[bool]string{false: "screen", true: "print"}[v.print]
	call(o, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media:    medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme()}},
	})
	call(o, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.noScript})
}

// call runs a command of Chromium's protocol.
func call[P, R any](o *tab, command cdp.Command[P, R], params P) R {
	o.t.Helper()
	r, err := chromedp.Call(o.ctx, command, params)
	must(o.t, err)
	return r
}

// evaluate calls a function of JavaScript in a page with arguments, and returns its result.
func evaluate[T any](o *tab, function string, args ...any) T {
	o.t.Helper()
	text, err := json.Marshal(append([]any{}, args...))
	must(o.t, err)
	v, err := chromedp.Run(o.ctx,
		chromedp.Evaluate[T]("("+function+")(..."+string(text)+")", chromedp.EvalAwaitPromise))
	if err != nil {
		o.t.Fatalf("%v, of %s", err, function)
	}
	return v
}

// press types keys.
func (o *tab) press(keys string) {
	o.t.Helper()
	must(o.t, chromedp.Do(o.ctx, chromedp.KeyEvent(keys)))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
