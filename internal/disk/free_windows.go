package disk

import "golang.org/x/sys/windows"

// Free returns how many bytes this user may still write to the file system of a directory.
func Free(dir string) (free uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}
