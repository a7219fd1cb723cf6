// Package windows tests the Windows side of a release of kpack with those who will read it:
// Microsoft's rules for layers and indexes, the code of github.com/Microsoft/go-winio that puts
// layers on a Windows disk, and wine, under which the programs in the images run. The Linux side
// is checked as well.
//
// The module is separate, so that go-winio stays out of Slipway's. `go tool mage test` cuts the
// release and says where it is (SLIPWAY_DIST, SLIPWAY_STORE).
package windows
