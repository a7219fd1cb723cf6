package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// barWidth is how many columns a bar takes, and refresh how often bars are drawn.
const (
	barWidth = 30
	refresh  = 120 * time.Millisecond
)

// display draws bars at the bottom of a terminal. mpb cuts them to the width of the terminal, and
// erases as many lines as it has drawn. A terminal that has become narrower since shows each of
// those on several lines, which the display erases before.
type display struct {
	*mpb.Progress

	terminal *os.File
	ticks    chan any
	quit     chan struct{}

	mu    sync.Mutex
	width int   // of the terminal, when bars were drawn last
	drawn []int // the columns of each
}

func newDisplay(f *os.File) *display {
	d := &display{terminal: f, ticks: make(chan any), quit: make(chan struct{})}
	d.Progress = mpb.New(mpb.WithOutput(f), mpb.WithWidth(barWidth), mpb.WithManualRefresh(d.ticks))
	go d.run()
	return d
}

// run draws the bars until the display is closed.
func (d *display) run() {
	t := time.NewTicker(refresh)
	defer t.Stop()
	for {
		select {
		case <-d.quit:
			return
		case <-t.C:
			d.draw()
		}
	}
}

// draw erases the further lines of the bars, and draws them. An error of mpb ends it, since the
// terminal is gone.
func (d *display) draw() {
	if n := d.folded(); n > 0 {
		fmt.Fprintf(d.Progress, "\x1b[%dA\x1b[J", n)
	}
	select {
	case d.ticks <- nil:
	case <-time.After(time.Second):
	}
}

// folded returns how many more lines than bars there are, and begins another drawing.
func (d *display) folded() (more int) {
	width, _, err := term.GetSize(int(d.terminal.Fd()))
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && 0 < width && width < d.width {
		for _, columns := range d.drawn {
			more += max(columns-1, 0) / width
		}
	}
	d.width, d.drawn = width, nil
	return more
}

// bar fills a bar as mpb does, and notes how long its line is.
func (d *display) bar() mpb.BarFiller {
	filler := mpb.BarStyle().Build()
	return mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		d.mu.Lock()
		d.drawn = append(d.drawn, d.width-max(s.AvailableWidth-s.RequestedWidth, 0))
		d.mu.Unlock()
		return filler.Fill(w, s)
	})
}

// close draws the bars for the last time: mpb takes away those that have ended when it draws them
// again, and lines printed meanwhile appear then.
func (d *display) close() {
	close(d.quit)
	for range 4 {
		d.draw()
	}
	d.Wait()
}
