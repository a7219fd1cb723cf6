/*
 * bcryptprimitives.dll for wine 8, which lacks it: programs of Go 1.22 and later take their random numbers from ProcessPrng
 * (https://learn.microsoft.com/windows/win32/seccng/processprng).
 */
#include <windows.h>

BOOLEAN WINAPI SystemFunction036(PVOID buffer, ULONG length); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
	return SystemFunction036(buffer, (ULONG)length);
}
